run kmeans --objects 1000
